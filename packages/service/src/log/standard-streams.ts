import { reasonForPeople } from '../errors/reason.js';

/**
 * Lets the process go on if nobody takes what it says on stderr, because the disk is full or the reader has
 * gone. `console.error` alone lets only the first failure pass, and the second one would end the process.
 * Each later text is tried again.
 */
export function surviveLostErrors(): void {
  process.stderr.on('error', () => {});
}

/**
 * Ends the process with exit code 1 if stdout takes no more. Otherwise a token could be lost on a full disk,
 * and its command would end as if it had been printed.
 */
export function failIfOutputIsLost(): void {
  process.stdout.on('error', (error) => {
    console.error(`Cannot write to stdout: ${reasonForPeople(error)}.`);
    // The command sets its own exit code later.
    process.once('exit', () => {
      process.exitCode = 1;
    });
  });
}
