export function Person(_: Record<string, unknown>) { return null; }
