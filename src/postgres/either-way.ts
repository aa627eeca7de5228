/** Two ways to ask the database the same. */
export interface Ways<Question, Answer> {
  /** The quicker one. */
  readonly first: (question: Question) => Promise<Answer>;
  readonly second: (question: Question) => Promise<Answer>;
  /** Whether the first failed as it does where it takes the second; it must have done nothing then. */
  readonly isRefusal: (error: unknown) => boolean;
  /** How many of the questions that follow such a failure are asked in the second way at once. */
  readonly thereafter: number;
}

/** Asks in the first way, and where that is refused in the second. */
export function eitherWay<Question, Answer>({
  first,
  second,
  isRefusal,
  thereafter,
}: Ways<Question, Answer>): (question: Question) => Promise<Answer> {
  let left = 0;
  return async (question) => {
    if (left > 0) {
      left--;
      return second(question);
    }
    try {
      return await first(question);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // At once, so that those who ask meanwhile are not refused as well.
      left = thereafter;
      try {
        return await second(question);
      } catch (error) {
        // It was not the way that failed.
        left = 0;
        throw error;
      }
    }
  };
}
