/** A test or a command, which ends everything that was started for it. */
export interface Scope {
  /** Adds what is to be ended. What was added last is ended first; a promise is waited for. */
  teardown(end: () => unknown): void;
}
