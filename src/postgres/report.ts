/** Logs what reaches no caller. */
export type Report = (error: unknown, message: string) => void;
