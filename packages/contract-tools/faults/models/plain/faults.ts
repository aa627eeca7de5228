/** The operation of a fault that breaks all of them alike: a report may name any. */
export const everyOperation = 'every operation';

/** A fault with which a plain server can be started. Its name is its key in a table. */
export interface PlainFault {
  /** The operation that a report must name. */
  readonly operation: string;
  /** The part of the document or the section of an RFC that the server breaks; absent if nothing decides. */
  readonly breaks?: string;
  /** The checker is known not to find it. When it does, this line goes. */
  readonly isMissed?: true;
}
