/** Two ways to ask the database the same. */
export interface Ways<Question, Answer> {
  /** The quicker one. */
  readonly first: (question: Question) => Promise<Answer>;
  readonly second: (question: Question) => Promise<Answer>;
  /**
   * Of a failure of the first, which did nothing then: how many questions, beginning with this one, are asked in the
   * second way; none where that would fail, too.
   */
  readonly detour: (error: unknown) => number;
}

/** Asks in the first way, and where that is refused in the second. */
export function eitherWay<Question, Answer>({
  first,
  second,
  detour,
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
      const questions = detour(error);
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
