export interface Plant {
  readonly name: string;
  readonly tag?: string;
}

export interface NewPlant extends Plant {
  readonly id: bigint;
}

/** What a row says of a plant, beside its key. */
export interface Content {
  readonly name: string;
  readonly tag: string | null;
}

export function toPlant({ name, tag }: Content): Plant {
  return tag === null ? { name } : { name, tag };
}
