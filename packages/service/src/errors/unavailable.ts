/**
 * The service cannot answer this request now, so the answer is a 503, and the client may send it again. The
 * classes that extend this one say why: a limit, the database, or the issuer of the token.
 */
export class ServiceUnavailableError extends Error {
  override readonly name: string = 'ServiceUnavailableError';
}
