import sharp from "sharp";
import type { Frame } from "./stage.js";

/**
 * Makes an animated WebP that repeats forever. Equal frames in a row become one. Without loss a page is as small as with
 * it, because only what changed is stored.
 */
export async function encodeAnimation(frames: readonly Frame[]): Promise<Uint8Array> {
  const merged = mergeEqual(frames);
  return sharp(
    merged.map(({ image }) => Buffer.from(image)),
    { join: { animated: true } },
  )
    .webp({ lossless: true, loop: 0, delay: merged.map(({ ms }) => ms) })
    .toBuffer();
}

function mergeEqual(frames: readonly Frame[]): Frame[] {
  const merged: Frame[] = [];
  for (const frame of frames) {
    const last = merged.at(-1);
    if (last !== undefined && Buffer.compare(last.image, frame.image) === 0) last.ms += frame.ms;
    else merged.push({ ...frame });
  }
  return merged;
}
