// Recurrence encoding matrices times values, one token after the other, and the gradients of that.
//
// A head's matrix with powers of rho = decay * e^(i angle) below its diagonal is the recurrence
//
//     f_t = real or imaginary part of S_t,    S_{t+d} = rho (S_t + v_t),    S = 0 at first,    d the dilation,
//
// and a result is share * other_t + scale * (f_t [+ v_t where the printed diagonal is 1]). Without a mask the same is
// added once more, backwards in time. The matrix is that of its own adjoint with time reversed, so that the gradient of
// the values is the same recurrence over the upstream gradient. The slope of S in rho is a recurrence too:
//
//     D_{t+d} = (S_t + v_t) + rho D_t,
//
// hence nothing is kept from the forward pass. States are in double precision: powers of a decay near 1 need it, and it
// costs nothing where time goes into reading and writing values.
//
// A C interface and no header of PyTorch's: it builds in a second or two, with any compiler, for any version.
// Values are [b, t, channels] with channels side by side (heads times their width) and any stride between tokens.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

// a state that fades away through many zeros would become denormal, and each step a hundred times as slow
struct NoDenormals {
#if defined(__SSE2__)
  unsigned before = _mm_getcsr();
  NoDenormals() { _mm_setcsr(before | 0x8040); }
  ~NoDenormals() { _mm_setcsr(before); }
#endif
};

struct bfloat16 {
  uint16_t bits;
};

inline double widened(double x) { return x; }
inline double widened(float x) { return x; }
inline double widened(bfloat16 x) {
  uint32_t bits = uint32_t(x.bits) << 16;
  float wide;
  std::memcpy(&wide, &bits, 4);
  return wide;
}

inline void put(double& place, double x) { place = x; }
inline void put(float& place, double x) { place = float(x); }
inline void put(bfloat16& place, double x) {  // to float32, then to the nearest, ties to even
  float wide = float(x);
  uint32_t bits;
  std::memcpy(&bits, &wide, 4);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  place.bits = wide == wide ? uint16_t(rounded) : uint16_t(0x7fc0);
}

template <class T>
struct Values {  // null where there is none
  T* start;
  int64_t row, token;  // strides
  T* at(int64_t b, int64_t t) const { return start + b * row + t * token; }
};

struct Heads {
  int64_t heads, width;
  const int64_t *kinds, *dilations;  // 0 real, 1 cos, 2 sin
  const double *decay, *angle, *scale, *share;
  bool causal, printed;
};

constexpr int64_t LANES = 128;  // channels worked on together: their states stay in the fastest cache

struct Block {  // channels of one dilation
  int64_t first, size, dilation;
  bool turns;
};

// What a channel multiplies with: rho = (a, b), f = re * of_re + im * of_im [+ v * of_v].
struct Lanes {
  double a[LANES], b[LANES], of_re[LANES], of_im[LANES], of_v[LANES], scale[LANES], share[LANES];
  Lanes(const Heads& all, const Block& block) {
    for (int64_t i = 0; i < block.size; ++i) {
      int64_t h = (block.first + i) / all.width, kind = all.kinds[h];
      double angle = kind == 0 || !all.angle ? 0 : all.angle[h];
      a[i] = all.decay[h] * std::cos(angle), b[i] = all.decay[h] * std::sin(angle);
      of_re[i] = kind != 2, of_im[i] = kind == 2, of_v[i] = kind == 1 && all.printed;
      scale[i] = all.scale ? all.scale[h] : 1;
      share[i] = all.share ? all.share[h] : 1;
    }
  }
};

std::vector<Block> blocks_of(const Heads& all, int64_t most) {
  std::vector<Block> blocks;
  for (int64_t h = 0; h < all.heads;) {
    int64_t end = h + 1;
    bool turns = all.kinds[h] != 0;
    while (end < all.heads && all.dilations[end] == all.dilations[h] && (all.kinds[end] != 0) == turns) ++end;
    for (int64_t c = h * all.width; c < end * all.width; c += most)
      blocks.push_back({c, std::min(most, end * all.width - c), all.dilations[h], turns});
    h = end;
  }
  return blocks;
}

// One direction in time: sink(token, lane, f, x) for every token and channel; f from the tokens before.
template <bool turns, class T, class Sink>
void walk(const Lanes& lanes, const Block& block, Values<const T> x, int64_t b, int64_t tokens, bool backwards,
          std::vector<double>& states, Sink sink) {
  int64_t n = block.size;
  states.assign(2 * n * block.dilation, 0);
  for (int64_t step = 0, slot = 0; step < tokens; ++step) {
    int64_t t = backwards ? tokens - 1 - step : step;
    const T* __restrict in = x.at(b, t) + block.first;
    double* __restrict re = states.data() + 2 * n * slot;
    double* __restrict im = re + n;
    auto row = sink(t);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      double v = widened(in[i]), sum = re[i] + v;
      if (turns) {
        row(i, re[i] * lanes.of_re[i] + im[i] * lanes.of_im[i], v);
        re[i] = lanes.a[i] * sum - lanes.b[i] * im[i];
        im[i] = lanes.b[i] * sum + lanes.a[i] * im[i];
      } else {
        row(i, re[i] * lanes.of_re[i], v);
        re[i] = lanes.a[i] * sum;
      }
    }
    slot = slot + 1 == block.dilation ? 0 : slot + 1;
  }
}

// The matrix times x: sink(token)(lane, result, x) once for every token and channel.
template <bool turns, class T, class Sink>
void multiply(const Heads& all, const Lanes& lanes, const Block& block, Values<const T> x, int64_t b, int64_t tokens,
              bool backwards, std::vector<double>& states, std::vector<double>& later, Sink sink) {
  if (all.causal) return walk<turns>(lanes, block, x, b, tokens, backwards, states, sink);
  int64_t n = block.size;
  later.resize(tokens * n);
  walk<turns>(lanes, block, x, b, tokens, true, states, [&](int64_t t) {
    double* __restrict row = later.data() + t * n;
    return [=](int64_t i, double f, double) { row[i] = f; };
  });
  walk<turns>(lanes, block, x, b, tokens, false, states, [&](int64_t t) {
    const double* __restrict row = later.data() + t * n;
    auto inner = sink(t);
    return [=](int64_t i, double f, double v) { inner(i, f + row[i], v); };
  });
}

// Sums over tokens of upstream times the slope of S in rho (0, 1) and of upstream times f (2), one each a channel.
template <bool turns, class T>
void slopes(const Lanes& lanes, const Block& block, Values<const T> x, Values<const T> up, int64_t b, int64_t tokens,
            bool backwards, std::vector<double>& states, double* __restrict sums) {
  int64_t n = block.size;
  double of_v[LANES];  // in one of two directions only
  for (int64_t i = 0; i < n; ++i) of_v[i] = backwards ? 0 : lanes.of_v[i];
  states.assign(4 * n * block.dilation, 0);
  for (int64_t step = 0, slot = 0; step < tokens; ++step) {
    int64_t t = backwards ? tokens - 1 - step : step;
    const T* __restrict in = x.at(b, t) + block.first;
    const T* __restrict above = up.at(b, t) + block.first;
    double* __restrict re = states.data() + 4 * n * slot;
    double *__restrict im = re + n, *__restrict d_re = re + 2 * n, *__restrict d_im = re + 3 * n;
    double *__restrict of_re = sums, *__restrict of_im = sums + LANES, *__restrict of_f = sums + 2 * LANES;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      double v = widened(in[i]), u = widened(above[i]), sum = re[i] + v, slope = d_re[i];
      of_re[i] += u * slope;
      if (turns) {
        of_im[i] += u * d_im[i];
        of_f[i] += u * (re[i] * lanes.of_re[i] + im[i] * lanes.of_im[i] + v * of_v[i]);
        d_re[i] = sum + lanes.a[i] * slope - lanes.b[i] * d_im[i];
        d_im[i] = im[i] + lanes.b[i] * slope + lanes.a[i] * d_im[i];
        re[i] = lanes.a[i] * sum - lanes.b[i] * im[i];
        im[i] = lanes.b[i] * sum + lanes.a[i] * im[i];
      } else {
        of_f[i] += u * (re[i] * lanes.of_re[i]);
        d_re[i] = sum + lanes.a[i] * slope;
        re[i] = lanes.a[i] * sum;
      }
    }
    slot = slot + 1 == block.dilation ? 0 : slot + 1;
  }
}

// work(block, batch row) for all of them, on so many threads.
template <class Work>
void in_parallel(const Heads& all, int64_t batch, int64_t threads, Work work) {
  int64_t most = LANES;
  while (most > 16 && batch * ((all.heads * all.width + most - 1) / most) < 2 * threads) most /= 2;
  std::vector<Block> blocks = blocks_of(all, most);
  int64_t tasks = batch * int64_t(blocks.size());
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    NoDenormals here;
#pragma omp for schedule(dynamic)
    for (int64_t task = 0; task < tasks; ++task) work(blocks[task % blocks.size()], task / blocks.size());
  }
}

template <bool mixed, class T>
void forward(const Heads& all, int64_t batch, int64_t tokens, Values<const T> x, Values<const T> other, Values<T> out,
             int64_t threads) {
  in_parallel(all, batch, threads, [&](const Block& block, int64_t b) {
    Lanes lanes(all, block);
    std::vector<double> states, later;
    auto sink = [&](int64_t t) {
      T* __restrict to = out.at(b, t) + block.first;
      const T* __restrict from = mixed ? other.at(b, t) + block.first : nullptr;
      return [=, &lanes](int64_t i, double f, double v) {
        double y = lanes.scale[i] * (f + v * lanes.of_v[i]);
        put(to[i], mixed ? y + lanes.share[i] * widened(from[i]) : y);
      };
    };
    if (block.turns) multiply<true>(all, lanes, block, x, b, tokens, false, states, later, sink);
    else multiply<false>(all, lanes, block, x, b, tokens, false, states, later, sink);
  });
}

template <bool mixed, class T>
void backward(const Heads& all, int64_t batch, int64_t tokens, Values<const T> x, Values<const T> other,
              Values<const T> up, Values<T> d_x, Values<T> d_other, double* d_heads, int64_t threads) {
  int64_t channels = all.heads * all.width;
  // a sum for every row and channel, then added in one order: the same however many threads there are
  std::vector<double> sums(batch * channels * 4);
  in_parallel(all, batch, threads, [&](const Block& block, int64_t b) {
    Lanes lanes(all, block);
    std::vector<double> states, later;
    double found[4 * LANES] = {};  // of the slopes (re, im), f and other
    auto sink = [&](int64_t t) {
      T* __restrict to = d_x.at(b, t) + block.first;
      const T* __restrict from = mixed ? other.at(b, t) + block.first : nullptr;
      T* __restrict to_other = mixed ? d_other.at(b, t) + block.first : nullptr;
      double* __restrict of_other = found + 3 * LANES;
      return [=, &lanes](int64_t i, double f, double u) {
        put(to[i], lanes.scale[i] * (f + u * lanes.of_v[i]));
        if (mixed) {
          put(to_other[i], u * lanes.share[i]);
          of_other[i] += u * widened(from[i]);
        }
      };
    };
    auto both = [&](auto turning) {
      constexpr bool turns = decltype(turning)::value;
      slopes<turns>(lanes, block, x, up, b, tokens, false, states, found);
      if (!all.causal) slopes<turns>(lanes, block, x, up, b, tokens, true, states, found);
      multiply<turns>(all, lanes, block, up, b, tokens, true, states, later, sink);
    };
    if (block.turns) both(std::true_type());
    else both(std::false_type());
    for (int64_t i = 0; i < block.size; ++i) {
      double* to = &sums[(b * channels + block.first + i) * 4];
      for (int64_t k = 0; k < 4; ++k) to[k] = found[k * LANES + i];
    }
  });
  std::fill(d_heads, d_heads + 4 * all.heads, 0);
  for (int64_t at = 0; at < batch * channels; ++at)
    for (int64_t k = 0; k < 4; ++k) d_heads[k * all.heads + at % channels / all.width] += sums[at * 4 + k];
  for (int64_t h = 0; h < all.heads; ++h) {
    double *decay = d_heads + h, *angle = decay + all.heads;
    double theta = all.kinds[h] == 0 || !all.angle ? 0 : all.angle[h], re = *decay, im = *angle;
    double gate = all.scale ? all.scale[h] : 1;
    // d f = real or imaginary part of (slope * d rho), where d rho = e^(i angle) (d decay + i decay d angle)
    double along = re * std::cos(theta) - im * std::sin(theta), across = re * std::sin(theta) + im * std::cos(theta);
    bool sine = all.kinds[h] == 2;
    *decay = gate * (sine ? across : along);
    *angle = all.kinds[h] == 0 ? 0 : gate * all.decay[h] * (sine ? along : -across);
  }
}

}  // namespace

// Pointers, strides and sizes as :class:`Call` of native.py has them; d_heads: [4, heads], of decay, angle, scale, share.
struct Call {
  int64_t batch, tokens, heads, width, causal, printed, threads;
  const int64_t *kinds, *dilations;
  const double *decay, *angle, *scale, *share;
  const void *values, *other, *upstream;
  int64_t values_row, values_token, other_row, other_token, upstream_row, upstream_token;
  void *out, *d_other;  // [b, t, channels], without gaps; out is the gradient of the values if there is an upstream
  double* d_heads;
};

namespace {

template <class T>
void run(const Call& call) {
  Heads all{call.heads, call.width, call.kinds, call.dilations, call.decay,      call.angle,
            call.scale, call.share, call.causal != 0, call.printed != 0};
  int64_t channels = call.heads * call.width, row = call.tokens * channels;
  Values<const T> x{(const T*)call.values, call.values_row, call.values_token};
  Values<const T> other{(const T*)call.other, call.other_row, call.other_token};
  Values<T> out{(T*)call.out, row, channels}, d_other{(T*)call.d_other, row, channels};
  if (!call.upstream)
    return (call.other ? forward<true, T> : forward<false, T>)(all, call.batch, call.tokens, x, other, out, call.threads);
  Values<const T> up{(const T*)call.upstream, call.upstream_row, call.upstream_token};
  (call.other ? backward<true, T> : backward<false, T>)(all, call.batch, call.tokens, x, other, up, out, d_other,
                                                        call.d_heads, call.threads);
}

}  // namespace

extern "C" void rem_float32(const Call* call) { run<float>(*call); }
extern "C" void rem_float64(const Call* call) { run<double>(*call); }
extern "C" void rem_bfloat16(const Call* call) { run<bfloat16>(*call); }
