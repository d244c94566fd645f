export function Team(_: Record<string, unknown>) { return null; }
