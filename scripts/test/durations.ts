/** Writes durations, such as "1.5 s" and "3 min 20 s". */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

export function minutes(milliseconds: number): string {
  const whole = Math.round(milliseconds / 1000);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
