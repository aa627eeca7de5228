/** lost: stored and acknowledged, but not there. doubled: there twice, or again. outside: of the contract. */
export type Harm = 'lost' | 'doubled' | 'wrong' | 'outside';

export interface Finding {
  readonly harm: Harm;
  readonly text: string;
}
