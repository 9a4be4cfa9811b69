/* Assertions of the core. A broken invariant means that memory is about to be corrupted, which no status can report: a
 * failed assertion prints its file, line and condition, and aborts.
 *
 * Two grades. COWI_ASSERT stays in release builds, and is used where it costs nothing measurable: on paths that copy,
 * steal, free or map. COWI_ASSERT_FULL may be used anywhere; COWI_FULL_ASSERTIONS compiles it in, for the C tests and
 * the sanitizer builds; COWI_FULL(check) calls a function of such assertions. Conditions must have no side effects:
 * only some builds evaluate them.
 *
 * tests/c/test_assertions.c breaks each assertion, and tests/c/mutants.py checks that none is missing there. */
#ifndef COWI_ASSERTIONS_H
#define COWI_ASSERTIONS_H

#ifdef __cplusplus
#define COWI_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define COWI_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#if defined(__GNUC__) || defined(__clang__)
#define COWI_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define COWI_COLD __attribute__((cold, noreturn))
#else
#define COWI_LIKELY(condition) (condition)
#define COWI_COLD
#endif

/* Prints and aborts. */
COWI_COLD void cowi_broken(const char *file, int line, const char *condition);

#define COWI_EVALUATED(condition, text) (COWI_LIKELY(condition) ? (void)0 : cowi_broken(__FILE__, __LINE__, text))
#define COWI_UNEVALUATED(condition) ((void)(0 && (condition)))

#ifdef COWI_ATOMICS_HEADER /* a model checker has its own checks, and pays for every load */
#define COWI_ASSERT(condition) ((void)0)
#define COWI_ASSERT_FULL(condition) ((void)0)
#define COWI_FULL(check) ((void)0)
#elif defined(COWI_FULL_ASSERTIONS)
#define COWI_ASSERT(condition) COWI_EVALUATED(condition, #condition)
#define COWI_ASSERT_FULL(condition) COWI_EVALUATED(condition, #condition)
#define COWI_FULL(check) (check)
#else
#define COWI_ASSERT(condition) COWI_EVALUATED(condition, #condition)
#define COWI_ASSERT_FULL(condition) COWI_UNEVALUATED(condition)
#define COWI_FULL(check) (0 ? (check) : (void)0)
#endif

#endif
