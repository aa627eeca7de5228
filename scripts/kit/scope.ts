/** What ends everything that was started for it: a test, or a command. */
export interface Scope {
  teardown(end: () => unknown): void;
}
