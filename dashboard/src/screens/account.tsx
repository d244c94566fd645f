export function Account(_: Record<string, unknown>) { return null; }
