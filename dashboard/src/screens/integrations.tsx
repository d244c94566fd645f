export function Integrations(_: Record<string, unknown>) { return null; }
