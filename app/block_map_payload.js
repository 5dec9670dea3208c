// What Python packed: decoding it, and finding turns, runs and divergences in it.

/** Read typed arrays one after the other from a buffer. */
class Reader {
  constructor(buffer) {
    this.buffer = buffer;
    this.offset = 0;
  }

  take(ArrayType, length) {
    const array = new ArrayType(this.buffer, this.offset, length);
    this.offset += array.byteLength;
    return array;
  }
}

/** Split a message into the picked cell, {turn, block} or null, the annotated places and the bytes of the rows. */
function splitMessage(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const [turn, block, numPlaces] = new Uint32Array(bytes.slice(0, 12).buffer);
  const stop = 12 + 8 * numPlaces;
  const annotated = new Uint32Array(bytes.slice(12, stop).buffer);
  return { picked: turn > 0 ? { turn, block } : null, annotated, rows: bytes.slice(stop) };
}

/** Cells with the number of their annotations; the block is null where they are about a whole turn. */
function annotatedCells(rows, flat) {
  const cells = new Map();
  for (let i = 0; i < flat.length; i += 2) {
    const row = rows.rowOfTurn.get(flat[i]);
    if (row === undefined) continue;
    const block = flat[i + 1] === SETTINGS.wholeTurn ? null : flat[i + 1];
    const name = `${row}/${block}`;
    cells.set(name, { row, block, count: (cells.get(name)?.count ?? 0) + 1 });
  }
  return [...cells.values()];
}

/** How many annotations stand at a cell, and how many are about its whole turn. */
function annotationsAt(annotated, cell) {
  const count = (block) => annotated.find((one) => one.row === cell.row && one.block === block)?.count ?? 0;
  return { here: count(cell.block), turn: count(null) };
}

/** Decode packed rows; the layout is documented at pack() in block_map.py. */
function decodeRows(bytes) {
  const reader = new Reader(bytes.buffer);
  const [headerLength] = reader.take(Uint32Array, 1);
  const header = JSON.parse(new TextDecoder().decode(reader.take(Uint8Array, headerLength)));
  const numTurns = header.turns;
  const rows = {
    bytes,
    numTurns,
    blockSize: header.block_size,
    turnNumbers: reader.take(Uint32Array, numTurns),
    numBlocks: reader.take(Uint32Array, numTurns),
    promptTokens: reader.take(Uint32Array, numTurns),
    cachedBlocks: reader.take(Float32Array, numTurns),
    runOffsets: reader.take(Uint32Array, numTurns + 1),
    divergences: pairs(reader.take(Uint32Array, 2 * header.divergences)),
    runStarts: reader.take(Uint32Array, header.runs),
    runStates: reader.take(Uint8Array, header.runs),
  };
  rows.maxBlocks = rows.numBlocks.reduce((most, count) => Math.max(most, count), 0);
  rows.numReported = rows.cachedBlocks.filter((cached) => !Number.isNaN(cached)).length;
  rows.rowOfTurn = new Map(Array.from(rows.turnNumbers, (turn, row) => [turn, row]));
  return rows;
}

/** Row and block of each divergence, in reading order. */
function pairs(flat) {
  const cells = [];
  for (let i = 0; i < flat.length; i += 2) cells.push({ row: flat[i], block: flat[i + 1] });
  return cells.sort(compareCells);
}

function compareCells(a, b) {
  return a.row - b.row || a.block - b.block;
}

function sameCell(a, b) {
  return a === b || (a !== null && b !== null && a.row === b.row && a.block === b.block);
}

function sameBytes(a, b) {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Index of the run that holds this block; the block must be in the row. */
function runIndex(rows, row, block) {
  let low = rows.runOffsets[row];
  let high = rows.runOffsets[row + 1] - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rows.runStarts[middle] <= block) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** First block after a run. */
function runStop(rows, row, index) {
  return index + 1 < rows.runOffsets[row + 1] ? rows.runStarts[index + 1] : rows.numBlocks[row];
}

function hasCell(rows, cell) {
  return cell.row >= 0 && cell.row < rows.numTurns && cell.block >= 0 && cell.block < rows.numBlocks[cell.row];
}

/** The cell of a pick that names its turn by number; null if the session has no such cell. */
function cellOfPick(rows, pick) {
  if (pick === null || !rows.rowOfTurn.has(pick.turn)) return null;
  const cell = { row: rows.rowOfTurn.get(pick.turn), block: pick.block };
  return hasCell(rows, cell) ? cell : null;
}

/** First token after a block: the prompt may end inside its last one. */
function tokenStop(rows, row, stopBlock) {
  const stop = stopBlock * rows.blockSize;
  const promptTokens = rows.promptTokens[row];
  return promptTokens > 0 ? Math.min(stop, promptTokens) : stop;
}

/** The divergence after (direction 1) or before (-1) a cell; without a cell the first or the last; or null. */
function neighbourDivergence(rows, cell, direction) {
  const inOrder = direction > 0 ? rows.divergences : [...rows.divergences].reverse();
  if (cell === null) return inOrder[0] ?? null;
  return inOrder.find((candidate) => direction * compareCells(candidate, cell) > 0) ?? null;
}

/** The indices of the states that occur, in wire order. */
function occurringStates(rows) {
  const seen = new Set(rows.runStates);
  return SETTINGS.words.map((_, state) => state).filter((state) => seen.has(state));
}
