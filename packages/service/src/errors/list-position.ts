/**
 * The parameters of a list do not say where it begins, so the answer is a 400. The message is for the client.
 */
export class ListPositionError extends Error {
  override readonly name = 'ListPositionError';
}
