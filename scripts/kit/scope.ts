/** A test or a command, which ends everything that was started for it. */
export interface Scope {
  teardown(end: () => unknown): void;
}
