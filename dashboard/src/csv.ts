// A table as a CSV file: UTF-8 with a mark, which spreadsheets need, and no formulas in cells that people have written.

/** RFC 4180. A cell that begins like a formula gets an apostrophe, or a spreadsheet would run it. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function saveCsv(name: string, rows: string[][]) {
  const lines = rows.map((row) => row.map(cell).join(",")).join("\r\n");
  save(name, "text/csv;charset=utf-8", `\uFEFF${lines}\r\n`);
}

/** Lets the browser save a file. */
export function save(name: string, mediaType: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
