/** Starts programs again that faults have ended, at once, as an operator's supervisor would do. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Scope } from '../../../contract-tools/base.js';

const retryMs = 100;

/** A program that faults may end. */
interface Kept {
  /** Resolves when the program does not run. */
  ended(): Promise<unknown>;
  start(): Promise<unknown>;
  /** Ends it for good. A start that is under way may come later. */
  end(): unknown;
}

/** Starts a program again whenever it ends, until the scope ends. A start that fails is tried again. */
export function keepRunning(scope: Scope, { ended, start, end }: Kept): void {
  let isOver = false;
  const keep = async () => {
    while (!isOver) {
      await ended();
      // A fault may make the start fail, too, for example a full disk.
      if (!isOver) await start().catch(() => pause(retryMs));
    }
  };
  const keeping = keep();
  scope.teardown(async () => {
    isOver = true;
    await end();
    await keeping;
    await end();
  });
}
