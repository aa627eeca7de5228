/** Logs what reaches no caller. The error is undefined if the message says all. */
export type Report = (error: unknown, message: string) => void;
