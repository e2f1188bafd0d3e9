/** One scope, as tokens and challenges carry it. Specification: RFC 6749 section 3.3, scope-token. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Whether a text can be a scope: visible ASCII without spaces, quotes and backslashes. */
export function isScope(text: string): boolean {
  return SCOPE.test(text);
}
