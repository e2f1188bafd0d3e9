/** Stands for whatever a real server works on. */
export const repository = {
  branches: new Set(["main", "old"]),

  /** Deletes a branch; a repeat with the same key changes nothing. */
  delete(branch: string, how: { reason: string; idempotencyKey: string }): string {
    this.branches.delete(branch);
    return `${branch}: ${how.reason}`;
  },
};
