/**
 * Returns the only document. The client creates everything else, and shows the title. @param basePath must contain no
 * character that is special in HTML
 */
export function pageDocument(basePath: string, title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="base-path" content="${basePath}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='1' width='14' height='14' rx='4' fill='%234353c9'/%3E%3Cpath d='M5 5h6M5 8h6M5 11h3' stroke='white' stroke-width='1.5' stroke-linecap='round'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${basePath}/client.css">
<script type="module" src="${basePath}/client.js"></script>
</head>
<body><div id="page"></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => entities[character] ?? "");
}
