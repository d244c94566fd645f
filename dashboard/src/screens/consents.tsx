export function Consents(_: Record<string, unknown>) { return null; }
