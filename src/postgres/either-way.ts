/** Two ways to ask the database the same. */
export interface Ways<Question, Answer> {
  /** The quicker one. */
  readonly first: (question: Question) => Promise<Answer>;
  readonly second: (question: Question) => Promise<Answer>;
  /**
   * How many questions are asked in the second way after such a failure of the first, this one among them. None where the
   * first may have been carried out, unless asking twice does no harm, or where the second would fail as well.
   */
  readonly detourAfter: (error: unknown) => number;
}

/** Asks in the first way, and where that is refused in the second. */
export function eitherWay<Question, Answer>({
  first,
  second,
  detourAfter,
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
      const questions = detourAfter(error);
      if (questions === 0) throw error;
      // At once, so that those who ask meanwhile are not refused as well.
      left = questions - 1;
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
