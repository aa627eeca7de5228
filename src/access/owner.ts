/** Who owns tokens and plants, as a token's row names it. */
export type Owner = string;
