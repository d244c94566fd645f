export function People(_: Record<string, unknown>) { return null; }
