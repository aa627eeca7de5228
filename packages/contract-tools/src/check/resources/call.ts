import type { JudgedStep } from '../answers/attempt.js';

/** A call of an operation; a list that comes in pages has all of them. */
export interface Call extends JudgedStep {
  /** The pages of a list, in their order, and whether the last of them was reached. */
  readonly pages?: readonly Call[];
  readonly isWhole?: boolean;
}
