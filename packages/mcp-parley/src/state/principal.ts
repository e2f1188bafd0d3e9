/**
 * Who is calling, as the server verified it: two users of one client are two principals, and so
 * are two clients of one user. Specification: basic/patterns/mrtr, server requirement 5.
 */
export interface Principal {
  /** Who vouches for the subject, such as an OAuth issuer. */
  readonly issuer: string;
  /** Who it is, unique under the issuer. */
  readonly subject: string;
  /** Through which client, where that is known. */
  readonly client?: string;
}
