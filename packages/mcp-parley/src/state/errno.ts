/** True for an error of the operating system's, whose `code` says which. */
export function isErrno(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return (
    error instanceof Error &&
    typeof (error as NodeJS.ErrnoException).code === "string" &&
    "syscall" in error
  );
}
