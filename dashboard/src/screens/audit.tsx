export function Audit(_: Record<string, unknown>) { return null; }
