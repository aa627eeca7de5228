import { isNotSupported } from './sqlstate.js';

/**
 * Asks in the first way until the database says that it does not do that (0A000), but does the second, and from then
 * on in that: a PostgreSQL-compatible database does not do all that PostgreSQL does, and says so before it has done
 * anything.
 */
export function eitherWay<Question, Answer>(
  first: (question: Question) => Promise<Answer>,
  second: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  let refused = false;
  return async (question) => {
    if (refused) return second(question);
    try {
      return await first(question);
    } catch (error) {
      if (!isNotSupported(error)) throw error;
      const answer = await second(question);
      refused = true;
      return answer;
    }
  };
}
