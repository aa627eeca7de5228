/**
 * Knows what each generated client must print (test/clients/generators/story.ts), so that one expectation holds for all
 * languages.
 */
const plant = { name: 'Monstera deliciosa', tag: 'climber' };
const sentence = 'A sentence.';
const failure = (status: number) => ({ error: status, message: sentence });

/** The steps that a generated client tells of a store that is empty at first. */
export const clientStory = {
  created: plant,
  another: { name: 'Ficus' },
  first: [{ name: 'Ficus' }],
  all: [{ name: 'Ficus' }, plant],
  conflict: failure(409),
  badBody: failure(400),
  badLimit: failure(400),
  deleted: 'nothing',
  absent: failure(404),
  refused: failure(401),
};

/**
 * Reads the steps that a client printed as JSON. Any message will do if it is a sentence: it becomes "A
 * sentence."
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function readSteps(text: string): Record<string, unknown> {
  return JSON.parse(text, (key, value: unknown) =>
    key === 'message' && typeof value === 'string' && /^.+\.$/.test(value) ? sentence : value,
  );
}
