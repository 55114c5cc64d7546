export function p99(ms: readonly number[]): number {
  return Math.round(ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.99)] ?? 0);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}
