/** An answer that the service must never give: Jepsen's word for it is anomaly, too. */
export interface Anomaly {
  readonly harm: Harm;
  readonly text: string;
}

/**
 * The kind of an anomaly. "lost": an item was stored and acknowledged, but is not there. "doubled": an item
 * is there twice, or again after its delete. "outside": the contract does not have the answer. "wrong":
 * everything else.
 */
export type Harm = 'lost' | 'doubled' | 'wrong' | 'outside';
