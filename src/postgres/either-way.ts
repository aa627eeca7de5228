import { isNotSupported } from './sqlstate.js';

/**
 * Asks in the first way until the database says that it does not do that (0A000), and from then on in the second:
 * a PostgreSQL-compatible database does not do all that PostgreSQL does, and says so before it has done anything.
 */
export function eitherWay<Question, Answer>(
  first: (question: Question) => Promise<Answer>,
  second: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  let way = first;
  return async (question) => {
    try {
      return await way(question);
    } catch (error) {
      if (!isNotSupported(error)) throw error;
      way = second;
      return second(question);
    }
  };
}
