"""Constants that affect the speed of an answer, but never its value.

Each is documented with its reason and measurements; bench/measured.md has the table.
They are read at each use, as `tuning.NAME`, so that a test can set one and the fuzzer
sets each of them to its least value.
"""

# --- C‖P ------------------------------------------------------------------

# States of a controller of one component from which on it is a table. One of 1,000
# states takes BDDs 0.3 s, and one of 100,000 half a minute to be encoded alone.
FLAT_STATES = 1_000
# States of C‖P, reachable or not, up to which a controller of one component is a table,
# too: there BDDs take longer to be made than to be asked.
SMALL_PRODUCT = 4_000

# --- screening ------------------------------------------------------------

# Candidates that a loop through themselves may make unsafe; at most this many are
# explored one by one, more of them together. The pump without constraints: 0.04 s one
# by one, 0.3 together; a grid of 100 states 3.8 and 0.02.
LOOPS_ALONE = 1_000
# Components of C from which on those that a property depends on are screened, too:
# first, up to this many candidates; with more, once this many are left to explore.
# The pump with eight lines, without assumptions: 2.0 s without them, 0.5 with them.
CONE_COMPONENTS = 4
SCREENED_FIRST = 1_000
WALKED_ALONE = 100
# Candidates up to which Bad is kept to what they can lead to, which has to be found
# first. `models/link/link_2.toml`, 4,578: 0.09 s with it, 0.19 without; the pump with
# eight lines, without assumptions, 1.3 and 0.9, with sixteen 18 and 13.
FOLLOWED = 50_000
# Pairs (state of E, monitor states) that such loops lead to; beyond, one by one.
LOOP_PAIRS = 1_000_000
# Sets of monitor states that they bring. A random E of 10,000 states has 8; where C
# branches there can be one for each subset, and each is tried with each candidate: the
# pump with three lines has 585, which take 8 s together and 0.15 one by one.
LOOP_SETS = 100

# --- enumeration ----------------------------------------------------------

# Monitor states up to which the simulation preorder is worked out and equal ones are
# merged. The pump has 95 and, with the states of E, 707 pairs without and 249 with it;
# beyond 100 the preorder takes longer than what it saves: of controllers of 10 to 40
# states that branch, with 100 to 1,700 monitor states, few are equal.
MERGED_STATES = 100
# States of C‖P up to which it is taken state by state where it is smaller than its
# determinised form. Sets of states are integers of this many bits.
PRODUCT_STATES = 5_000
# The same where the determinised form has more than `MERGED_STATES` states: it takes a
# few seconds, and a determinised form that is not merged takes far longer.
LARGE_PRODUCT_STATES = 30_000
# Sets that are grown before the whole formula is written down, if it has at most so
# many clauses, for units to make sets maximal: Therac-25 takes 1 ms for 405.
GROWN_SETS = 30
WRITTEN_CLAUSES = 20_000
# Sets that are found one by one before neighbours are grown side by side: it does not
# pay for the Therac-25 (398) nor the token ring (293), which are soon known.
FIRST_SETS = 500
# Steps between pairs that are written down then, for each set that is known: writing
# them takes less time than finding the sets did.
STEPS_EACH = 100
# Sets that grow side by side: this many at first, twice as many each time. For each of
# them voting without constraints takes 20 µs with 1,024, 13 with 2,048, 9 with 4,096;
# the pump 230, 200 and 220.
GROWN_AT_FIRST = 128
GROWN_TOGETHER = 2048
# Neighbours of each set that are grown, where there are many sets: the fewer, the more
# of them are new.
NEIGHBOURS = 8
# Fewer than one in this many new: the solver goes on. It takes about 20 times as long.
FEW_NEW = 16
# Each deviation is compared with this many of the first and of the latest. A twentieth
# of the time in which voting without constraints, the fastest case, gives one.
COMPARED = 16
# Values that a cache keeps: far more than is asked for again soon, tens of megabytes.
CACHED = 100_000
# Deviations that are looked at first. For all cases of Table 1 that is Δ.
FIRST_DEVIATIONS = 32
# The same where there are too many monitor states to be merged: what goes through pairs
# is slow then. At most about 0.3 s for a C of 40 states.
FEW_DEVIATIONS = 100

# Maximal deviations of one design that are tried with another before a search. Which
# assumptions matter for the pump: each time the first one tells. The pump with eight
# lines: 0.03 to 0.1 s for each.
GUESSED_SETS = 4

# --- solvers --------------------------------------------------------------

# Conflicts of a call before the clock is asked. Most calls have one or two.
FIRST_CONFLICTS = 500
# Seconds from which on calls get no longer: so long a signal may have to wait.
LONG_CALL = 0.1
# Literals of a clause, from 3. MiniSat looks through a clause from its beginning each
# time one of its literals is decided, and cannot be interrupted meanwhile: one of
# 78,000 literals kept it for more than 100 s, in parts of 50 it was done in 35 s.
LONG_CLAUSE = 50
# After this many calls their conflicts are counted; with more than this many for each,
# variables are tried false first.
CALLS_WATCHED = 100
MANY_CONFLICTS = 5

# --- fault modes ----------------------------------------------------------

# Unsafe proposals that one violating run excludes, for each mode; later ones are
# excluded by the clauses of all their pairs. With 30 modes and 140,000 pairs, 12 of the
# modes individually hazardous: 26 s with those clauses, 3 s with 12 runs.
RUNS_EACH_MODE = 1

# States of E whose product is computed; where there can be more, and E consists of
# independent parts, each part is analysed separately.
COMPOSED_STATES = 10_000

# States of one of these parts whose product is computed; with more its components are
# coupled, and stay in bits.
COUPLED_STATES = 10_000
# BDD nodes that these may take where the run has no bound: about 1 GiB.
COUPLED_NODES = 20_000_000

# --- several processes --------------------------------------------------------

# Sets that are found before the rest is split; small problems end with them.
SAMPLED_SETS = 300
# Cubes for each process: many, so that none is left alone with a large one at the end.
CUBES_EACH = 8

# --- summary --------------------------------------------------------------

# What the solver and the list of deviations get when they take turns; each turn
# doubles both.
TURN_CONFLICTS = 2000
TURN_DEVIATIONS = 50
# Short runs that are tried for each candidate before the solver is asked.
SHORT_RUNS = 8
# Candidates that are judged before the deviations are printed: at most 5 ms on the
# cases of Table 1.
JUDGED_AT_ONCE = 300
# Candidates that every reason is worked out for, in about a second.
ALL_REASONS = 10_000
# Monitor states that are put in order, to leave out steps to worse ones.
ORDERED_STATES = 300

# --- what never fires ---------------------------------------------------------

# Deviations that are walked through by BDDs before C‖P is determinised for it.
FIRST_SILENCES = 1
# Monitor states of C‖P up to which that is done: up to a second.
SILENCE_STATES = 1000

# --- minimal hazardous sets -----------------------------------------------

# Steps between pairs that are tried before Δ is listed for a turn of
# `TURN_DEVIATIONS`: from 0.02 s, where sets reach many pairs, to 0.2 s.
TURN_STEPS = 25_000
# All subsets of a set are listed while they are at most this many times the sets that
# are noted; beyond, those that are noted are looked through.
ALL_PARTS = 1

# --- comparison -----------------------------------------------------------

# Candidates from which on an inclusion is asked for before deviations are listed:
# pumps of three lines, with 15,000, take 0.01 s for it and 13 for a first deviation. A
# C of 40 states with 48 can take 0.07 and 0.01.
MANY_CANDIDATES = 1_000
# Steps of both closed loops together that are explored at once. Beyond, nodes are
# looked at only where they are wanted.
EXPLORED_STEPS = 500_000
# A component that has to follow another is determinised up to this factor of its size.
FOLLOWING_TIMES = 4
