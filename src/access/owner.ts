/** The owner of tokens and plants. */
export type Owner = string;
