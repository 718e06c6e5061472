import ArgumentParser

@main
struct Matinee: AsyncParsableCommand {}
