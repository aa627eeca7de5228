/**
 * Tells whether programs other than the benchmark's take the machine's time, by the CPU time that Linux
 * counts (cpu-time.ts): all that was busy meanwhile, less that of our own processes.
 */
import { familyCpuSeconds, machineSeconds } from './cpu-time.js';

/** If other programs take more than this share of all cores, a figure says little about ours. */
const maxShare = 0.15;

export class Strangers {
  readonly #ours: readonly number[];
  /** How often other programs may still make us measure again. */
  #repeatsLeft: number;
  #measured = 0;
  #disturbed = 0;

  /**
   * @param ours the ids of the processes from which all of ours descend
   * @param maxRepeats how often they may be measured again, all in all
   */
  constructor(ours: readonly number[], maxRepeats: number) {
    this.#ours = ours;
    this.#repeatsLeft = maxRepeats;
  }

  /**
   * Does the work, and does it again if other programs disturbed it and repeats are left.
   *
   * @param prepare is called before each time, and does not count
   */
  async keepAway<Result>(
    work: () => Promise<Result>,
    prepare: () => unknown,
  ): Promise<{ result: Result; isDisturbed: boolean }> {
    for (;;) {
      await prepare();
      const before = await this.#now();
      const result = await work();
      const after = await this.#now();
      const theirs = after.busy - before.busy - (after.ours - before.ours);
      const isDisturbed = theirs > maxShare * (after.all - before.all);
      if (isDisturbed && this.#repeatsLeft-- > 0) continue;
      this.#measured++;
      if (isDisturbed) this.#disturbed++;
      return { result, isDisturbed };
    }
  }

  /** A sentence that says how often other programs disturbed us. */
  get report(): string {
    return `${this.#disturbed} of ${this.#measured} figures were taken while other programs had more than ${maxShare * 100} % of the CPU.`;
  }

  async #now() {
    return { ...(await machineSeconds()), ours: await familyCpuSeconds(this.#ours) };
  }
}
