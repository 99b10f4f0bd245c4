// Draws the page's icons into www/icons: the picture of four by four pixels that index.html uses as its favicon. The files are committed;
// run this after changing the picture.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";

const FOLDER = fileURLToPath(new URL("../www/icons/", import.meta.url));
const PICTURE = [".##.", "..#.", ".#..", ".##."];
const [GROUND, FIGURE] = ["#182234", "#f5b942"];
/** File, its width, and the width of one of the picture's pixels. The figure is inside the circle of 0.8 times the width, which no mask cuts off. */
const ICONS = [["icon-192.png", 192, 40], ["icon-512.png", 512, 112], ["maskable-512.png", 512, 80], ["apple-touch-icon.png", 180, 32]];

const lit = (row, column) => PICTURE[row]?.[column] === "#";
const rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

function chunk(kind, data) {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG of two colours, one bit per pixel. */
function png(width, cell) {
  const margin = (width - cell * PICTURE.length) / 2;
  const stride = 1 + Math.ceil(width / 8);
  const rows = Buffer.alloc(stride * width);
  for (let y = 0; y < width; y++) {
    for (let x = 0; x < width; x++) {
      const [row, column] = [y, x].map((at) => Math.floor((at - margin) / cell));
      if (lit(row, column)) rows[y * stride + 1 + (x >> 3)] |= 128 >> (x & 7);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header.set([1, 3], 8); // bits per pixel, and that they index a palette
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const palette = Buffer.from([GROUND, FIGURE].flatMap(rgb));
  return Buffer.concat([signature, chunk("IHDR", header), chunk("PLTE", palette), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

function svg() {
  const cells = PICTURE.flatMap((line, row) => [...line].flatMap((_, column) => (lit(row, column) ? [`M${column} ${row}h1v1h-1z`] : [])));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-.4 -.4 4.8 4.8" shape-rendering="crispEdges"><path d="M-.4-.4h4.8v4.8H-.4z" fill="${GROUND}"/><path d="${cells.join("")}" fill="${FIGURE}"/></svg>\n`;
}

mkdirSync(FOLDER, { recursive: true });
for (const [name, width, cell] of ICONS) writeFileSync(`${FOLDER}${name}`, png(width, cell));
writeFileSync(`${FOLDER}icon.svg`, svg());
