/**
 * What is wrong. "lost" was stored and acknowledged, but is not there. "doubled" is there twice, or again
 * after its delete. "outside" is an answer that the contract does not have. "wrong" is everything else.
 */
export type Harm = 'lost' | 'doubled' | 'wrong' | 'outside';

export interface Finding {
  readonly harm: Harm;
  readonly text: string;
}
