import { familyCpuSeconds, machineSeconds } from './cpu-time.js';

/** If other programs take more than this share of all cores, a figure says little about ours. */
const maxShare = 0.15;

/** Tells whether programs other than the benchmark's take the machine's time. */
export class Strangers {
  readonly #ours: readonly number[];
  /** Other programs may still make us measure again this often. */
  #repeatsLeft: number;
  #measured = 0;
  #disturbed = 0;

  /** @param ours the processes from which all of ours descend */
  constructor(ours: readonly number[], maxRepeats: number) {
    this.#ours = ours;
    this.#repeatsLeft = maxRepeats;
  }

  /** Does the work, and does it again if other programs disturbed it and repeats are left. */
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
