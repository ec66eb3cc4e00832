"""Searchers of cubes that take turns in this process, and get lost now and then."""

from symrob.parallel.search import CubeSearch


def in_turn(rng, number, losses=0.1):
    """What searches the cubes of a board, as processes would, in a random order.

    Args:
        rng: Says whose turn it is, and who is lost.
        number: How many there are.
        losses: How often one is lost, in shares of its turns.
    """

    def search(sets, board):
        crew = {}
        while not board.done:
            while board.waiting and len(crew) < number:
                key = object()
                cube = board.next_cube(key)
                crew[key] = CubeSearch(sets), cube, board.known_in(cube)
            key = rng.choice(list(crew))
            one, cube, known = crew.pop(key)
            if rng.random() < losses:
                board.give_back(key)
                one.close()
                continue
            one.exclude(known)
            found, done = one.search(board.cubes[cube], 0)
            yield from board.note(key, found)
            if not done:
                crew[key] = one, cube, board.news(key)
                continue
            board.finish(key)
            cube = board.next_cube(key)
            if cube is None:
                one.close()
            else:
                crew[key] = one, cube, board.known_in(cube)

    return search
