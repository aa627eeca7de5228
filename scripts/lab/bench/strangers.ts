import { familyCpuSeconds, machineSeconds } from '../../kit/kernel.js';

/** If other programs take more than this share of all cores, a figure says little about ours. */
const tolerable = 0.15;

/** Tells whether programs other than the benchmark's take the machine's time. */
export class Strangers {
  readonly #ours: readonly number[];
  /** How often they may make us measure again. */
  #patience: number;
  #measured = 0;
  #disturbed = 0;

  /** @param ours the heads of our families of processes */
  constructor(ours: readonly number[], patience: number) {
    this.#ours = ours;
    this.#patience = patience;
  }

  /** Works again if others disturbed it, and patience is left. */
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
      const isDisturbed = theirs > tolerable * (after.all - before.all);
      if (isDisturbed && this.#patience-- > 0) continue;
      this.#measured++;
      if (isDisturbed) this.#disturbed++;
      return { result, isDisturbed };
    }
  }

  /** A sentence about them. */
  get report(): string {
    return `${this.#disturbed} of ${this.#measured} figures were taken while other programs had more than ${tolerable * 100} % of the CPU`;
  }

  async #now() {
    return { ...(await machineSeconds()), ours: await familyCpuSeconds(this.#ours) };
  }
}
