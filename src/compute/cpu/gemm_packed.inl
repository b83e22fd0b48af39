// The built-in matrix multiplication (after Goto and van de Geijn, "Anatomy of High-Performance
// Matrix Multiplication", TOMS 2008): a panel of b, packed where its rows lie badly, and a tile of
// c as large as the registers hold, multiplied one broadcast value of a at a time.
//
// Each gemm_<isa>.cpp defines Lanes (a vector register), tile_rows_max, unpacked_leading_max and
// two names, and includes this file under its own flags. Every element of c is one chain of
// multiply-adds over k, cut at panel_depth_max: its bits depend neither on the tile it falls in,
// nor on m and n, nor on the width of the registers. Only a single column has an order of its own.
//
// Everything here is private to the file that includes it, and no standard header's functions are
// used: a linker that merged an AVX-512 copy with another file's would crash older CPUs.

namespace quadrille::compute {
namespace {

// Left rolled up, these loops would keep the tile in memory.
#define QUADRILLE_UNROLL _Pragma("GCC unroll 16")

constexpr std::size_t panel_vectors = 2;
constexpr std::size_t panel_width = panel_vectors * Lanes::count;
constexpr std::size_t panel_depth_max = 1024;   // cutting k costs another pass over c
constexpr std::size_t unpacked_rows_max = 256;  // more rows of c repay the packing
constexpr std::size_t line_floats = 16;

// The packed panel, (depth, width), zero where b has no more columns. In the thread's own storage:
// nothing is allocated.
alignas(64) thread_local float packed_values[panel_depth_max * panel_width];

constexpr std::size_t smaller(std::size_t a, std::size_t b) {
  return a < b ? a : b;
}
constexpr std::size_t quotient_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

// Columns of b over a part of k, and where to read them:
// row p begins `leading` floats after row p - 1.
struct Panel {
  std::size_t depth_begin, depth;
  std::size_t column_begin, columns;
  const float* values = nullptr;
  std::size_t leading = 0;

  std::size_t vectors() const { return quotient_up(columns, Lanes::count); }
  std::size_t width() const { return vectors() * Lanes::count; }
};

// ---- fetching

// A part of a stored matrix: `columns` floats of each row.
struct Block {
  const float* begin;
  std::size_t rows, columns, leading;

  // The index-th of `count` cuts across the rows.
  Block part(std::size_t index, std::size_t count) const {
    const std::size_t first = rows * index / count;
    return {begin + first * leading, rows * (index + 1) / count - first, columns, leading};
  }
};

Block stored_a(const GemmTask& t, std::size_t row, std::size_t rows, const Panel& panel) {
  if (t.a_transposed)
    return {t.a + panel.depth_begin * t.a_leading + row, panel.depth, rows, t.a_leading};
  return {t.a + row * t.a_leading + panel.depth_begin, rows, panel.depth, t.a_leading};
}

// What the panel after this one will be read from; nothing after the last.
Block next_b(const GemmTask& t, const Panel& panel) {
  const std::size_t column = panel.column_begin + panel_width;
  if (column >= t.n) return {nullptr, 0, 0, 0};
  const std::size_t columns = smaller(panel_width, t.n - column);
  if (t.b_transposed)
    return {t.b + column * t.b_leading + panel.depth_begin, columns, panel.depth, t.b_leading};
  return {t.b + panel.depth_begin * t.b_leading + column, panel.depth, columns, t.b_leading};
}

// Brings a block into the second-level cache: panels and tiles jump from row to row, which the
// processor does not foresee.
inline void fetch(const Block& block) {
  for (std::size_t r = 0; r < block.rows; ++r)
    for (std::size_t c = 0; c < block.columns; c += line_floats)
      __builtin_prefetch(block.begin + r * block.leading + c, 0, 2);
}

// ---- packing

void pack_rows(const GemmTask& t, const Panel& panel) {
  const float* from = t.b + panel.depth_begin * t.b_leading + panel.column_begin;
  float* to = packed_values;
  const std::size_t width = panel.width();
  for (std::size_t p = 0; p < panel.depth; ++p, from += t.b_leading, to += width) {
    if (panel.columns == width) {
      for (std::size_t j = 0; j < width; j += Lanes::count) Lanes::load(from + j).store(to + j);
    } else {
      for (std::size_t j = 0; j < width; ++j) to[j] = j < panel.columns ? from[j] : 0.0F;
    }
  }
}

using Quad [[gnu::vector_size(16)]] = float;
using Octet [[gnu::vector_size(32)]] = float;

// Four values of one column and four of another, side by side.
inline Octet load_pair(const float* left, const float* right) {
  Quad a, b;
  __builtin_memcpy(&a, left, sizeof a);
  __builtin_memcpy(&b, right, sizeof b);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Eight columns' four values, each `leading` floats
// after the one before, stored as four rows of `width`.
inline void transpose_block(const float* from, std::size_t leading, float* to, std::size_t width) {
  const Octet a = load_pair(from, from + 4 * leading);
  const Octet b = load_pair(from + leading, from + 5 * leading);
  const Octet c = load_pair(from + 2 * leading, from + 6 * leading);
  const Octet d = load_pair(from + 3 * leading, from + 7 * leading);
  const Octet ab_low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  const Octet ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  const Octet cd_low = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  const Octet cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  const Octet rows[4] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13),
                         __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15),
                         __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13),
                         __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15)};
  QUADRILLE_UNROLL
  for (std::size_t p = 0; p < 4; ++p) __builtin_memcpy(to + p * width, &rows[p], sizeof rows[p]);
}

void pack_columns(const GemmTask& t, const Panel& panel) {
  const float* const from = t.b + panel.column_begin * t.b_leading + panel.depth_begin;
  const std::size_t width = panel.width();
  const std::size_t whole_depth = panel.depth / 4 * 4;
  const std::size_t whole_columns = panel.columns / 8 * 8;
  for (std::size_t j = 0; j < whole_columns; j += 8)
    for (std::size_t p = 0; p < whole_depth; p += 4)
      transpose_block(from + j * t.b_leading + p, t.b_leading, packed_values + p * width + j,
                      width);
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t p = j < whole_columns ? whole_depth : 0; p < panel.depth; ++p)
      packed_values[p * width + j] = j < panel.columns ? from[j * t.b_leading + p] : 0.0F;
}

// The panel with values to read: b itself where its rows lie well, the packed ones otherwise.
Panel open_panel(const GemmTask& t, Panel panel) {
  if (!t.b_transposed && panel.columns == panel.width() && t.m <= unpacked_rows_max &&
      t.b_leading <= unpacked_leading_max) {
    panel.values = t.b + panel.depth_begin * t.b_leading + panel.column_begin;
    panel.leading = t.b_leading;
    return panel;
  }
  t.b_transposed ? pack_columns(t, panel) : pack_rows(t, panel);
  panel.values = packed_values;
  panel.leading = panel.width();
  return panel;
}

// ---- multiplying

// A tile of c: where it begins, and how many columns of its last vector exist.
struct Tile {
  float* c;
  std::size_t leading;
  std::size_t last_columns;
  bool accumulate;
};

// The last vector of a row of c, whose place has no room for all of it.
inline void write_first(const Lanes& sums, std::size_t columns, bool accumulate, float* to) {
  float values[Lanes::count];
  sums.store(values);
  for (std::size_t j = 0; j < columns; ++j) to[j] = accumulate ? values[j] + to[j] : values[j];
}

// Brings a tile of c near for writing while its sums are being made.
template <std::size_t rows, std::size_t vectors>
inline void fetch_tile(const Tile& tile) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < vectors; ++j)
      __builtin_prefetch(tile.c + i * tile.leading + j * Lanes::count, 1, 3);
}

template <std::size_t rows, std::size_t vectors>
inline void write_tile(const Tile& tile, Lanes (&sums)[rows][vectors]) {
  QUADRILLE_UNROLL
  for (std::size_t i = 0; i < rows; ++i) {
    QUADRILLE_UNROLL
    for (std::size_t j = 0; j < vectors; ++j) {
      float* const to = tile.c + i * tile.leading + j * Lanes::count;
      if (j + 1 == vectors && tile.last_columns < Lanes::count) {
        write_first(sums[i][j], tile.last_columns, tile.accumulate, to);
      } else {
        if (tile.accumulate) sums[i][j].add(Lanes::load(to));
        sums[i][j].store(to);
      }
    }
  }
}

// c (rows, vectors) = a (rows, depth) panel (depth, vectors) (+ c).
template <std::size_t rows, std::size_t vectors, bool a_transposed>
void multiply_tile(const float* a, std::size_t a_leading, const Panel& panel, const Tile& tile) {
  fetch_tile<rows, vectors>(tile);
  Lanes sums[rows][vectors];
  QUADRILLE_UNROLL
  for (std::size_t i = 0; i < rows; ++i) {
    QUADRILLE_UNROLL
    for (std::size_t j = 0; j < vectors; ++j) sums[i][j] = Lanes::zero();
  }
  const std::size_t row_step = a_transposed ? 1 : a_leading;
  const std::size_t depth_step = a_transposed ? a_leading : 1;
  const float* b = panel.values;
  for (std::size_t p = 0; p < panel.depth; ++p, a += depth_step, b += panel.leading) {
    Lanes columns[vectors];
    QUADRILLE_UNROLL
    for (std::size_t j = 0; j < vectors; ++j) columns[j] = Lanes::load(b + j * Lanes::count);
    QUADRILLE_UNROLL
    for (std::size_t i = 0; i < rows; ++i) {
      const Lanes value = Lanes::broadcast(a[i * row_step]);
      QUADRILLE_UNROLL
      for (std::size_t j = 0; j < vectors; ++j) sums[i][j].add_product(value, columns[j]);
    }
  }
  write_tile(tile, sums);
}

using TileFunction = void (*)(const float*, std::size_t, const Panel&, const Tile&);

// The function for 1 to tile_rows_max rows, at [rows].
struct TileTable {
  TileFunction of[tile_rows_max + 1];
};

template <std::size_t vectors, bool a_transposed, std::size_t rows>
constexpr void fill_table(TileTable& table) {
  table.of[rows] = multiply_tile<rows, vectors, a_transposed>;
  if constexpr (rows > 1) fill_table<vectors, a_transposed, rows - 1>(table);
}

template <std::size_t vectors, bool a_transposed>
constexpr TileTable tile_table = [] {
  TileTable table{};
  fill_table<vectors, a_transposed, tile_rows_max>(table);
  return table;
}();

const TileTable& tiles(std::size_t vectors, bool a_transposed) {
  if (a_transposed) return vectors == 1 ? tile_table<1, true> : tile_table<2, true>;
  return vectors == 1 ? tile_table<1, false> : tile_table<2, false>;
}

// All rows of c against the panel, in tiles of even height. Meanwhile the next panel is fetched, a
// part with each tile, and during the first panel the next tile's rows of a.
void multiply_panel(const GemmTask& t, const Panel& panel) {
  const TileTable& table = tiles(panel.vectors(), t.a_transposed);
  const Block next_panel = next_b(t, panel);
  const std::size_t tile_count = quotient_up(t.m, tile_rows_max);
  std::size_t row = 0;
  for (std::size_t tile = 0; tile < tile_count; ++tile) {
    const std::size_t rows = quotient_up(t.m - row, tile_count - tile);
    fetch(next_panel.part(tile, tile_count));
    if (panel.column_begin == 0)
      fetch(stored_a(t, row + rows, smaller(rows, t.m - row - rows), panel));
    table.of[rows](stored_a(t, row, rows, panel).begin, t.a_leading, panel,
                   {.c = t.c + row * t.c_leading + panel.column_begin,
                    .leading = t.c_leading,
                    .last_columns = panel.columns - (panel.vectors() - 1) * Lanes::count,
                    .accumulate = t.accumulate || panel.depth_begin != 0});
    row += rows;
  }
}

void multiply(const GemmTask& t) {
  std::size_t depth_begin = 0;
  for (std::size_t cuts = quotient_up(t.k, panel_depth_max); cuts != 0; --cuts) {
    const std::size_t depth = quotient_up(t.k - depth_begin, cuts);
    for (std::size_t column = 0; column < t.n; column += panel_width)
      multiply_panel(t, open_panel(t, {.depth_begin = depth_begin,
                                       .depth = depth,
                                       .column_begin = column,
                                       .columns = smaller(panel_width, t.n - column)}));
    depth_begin += depth;
  }
}

// ---- one column of c

constexpr std::size_t dot_lanes = 32;

// Element p belongs to sum p % 32, whatever the registers' width; the sums are then added in pairs.
float dot(std::size_t count, const float* a, const float* b) {
  constexpr std::size_t vectors = dot_lanes / Lanes::count;
  Lanes sums[vectors];
  QUADRILLE_UNROLL
  for (std::size_t j = 0; j < vectors; ++j) sums[j] = Lanes::zero();
  std::size_t p = 0;
  for (; p + dot_lanes <= count; p += dot_lanes) {
    QUADRILLE_UNROLL
    for (std::size_t j = 0; j < vectors; ++j)
      sums[j].add_product(Lanes::load(a + p + j * Lanes::count),
                          Lanes::load(b + p + j * Lanes::count));
  }
  float rest_a[dot_lanes] = {}, rest_b[dot_lanes] = {}, lanes[dot_lanes];
  for (std::size_t i = 0; p + i < count; ++i) {
    rest_a[i] = a[p + i];
    rest_b[i] = b[p + i];
  }
  QUADRILLE_UNROLL
  for (std::size_t j = 0; j < vectors; ++j) {
    sums[j].add_product(Lanes::load(rest_a + j * Lanes::count),
                        Lanes::load(rest_b + j * Lanes::count));
    sums[j].store(lanes + j * Lanes::count);
  }
  for (std::size_t half = dot_lanes / 2; half != 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

// c (m, 1): each row of a with the one column of b.
void multiply_column(const GemmTask& t) {
  for (std::size_t i = 0; i < t.m; ++i) {
    const float sum = dot(t.k, t.a + i * t.a_leading, t.b);
    float& to = t.c[i * t.c_leading];
    to = t.accumulate ? sum + to : sum;
  }
}

// The same product written as its transpose: c^T = b^T a^T. For c (m, 1) with a's columns
// contiguous that makes long vectors of what were rows of one value.
GemmTask transposed(const GemmTask& t) {
  return {.m = t.n,
          .n = t.m,
          .k = t.k,
          .a = t.b,
          .a_leading = t.b_leading,
          .a_transposed = !t.b_transposed,
          .b = t.a,
          .b_leading = t.a_leading,
          .b_transposed = !t.a_transposed,
          .accumulate = t.accumulate,
          .c = t.c,
          .c_leading = t.c_leading};
}

}  // namespace

void QUADRILLE_GEMM(const GemmTask& t) {
  const bool column_contiguous = t.b_transposed || t.b_leading == 1;
  if (t.n == 1 && !t.a_transposed && column_contiguous)
    multiply_column(t);
  else if (t.n == 1 && t.a_transposed && t.c_leading == 1)
    multiply(transposed(t));
  else
    multiply(t);
}

double QUADRILLE_FMA_BURST() {
  constexpr std::size_t chains = 12;
  constexpr std::size_t rounds = 10000;
  // Unknown to the compiler, which would otherwise see that all chains come to the same.
  volatile float values[chains];
  for (std::size_t i = 0; i < chains; ++i) values[i] = 1e-6F;
  const Lanes a = Lanes::broadcast(values[0]), b = Lanes::broadcast(values[1]);
  Lanes sums[chains];
  QUADRILLE_UNROLL
  for (std::size_t i = 0; i < chains; ++i) sums[i] = Lanes::broadcast(values[i]);
  for (std::size_t round = 0; round < rounds; ++round) {
    QUADRILLE_UNROLL
    for (std::size_t i = 0; i < chains; ++i) sums[i].add_product(a, b);
  }
  for (std::size_t i = 1; i < chains; ++i) sums[0].add(sums[i]);
  float lanes[Lanes::count];
  sums[0].store(lanes);
  volatile float used = lanes[0];
  (void)used;
  return 2.0 * static_cast<double>(chains * rounds * Lanes::count);
}

}  // namespace quadrille::compute
