import ArgumentParser

@main
struct Matinee: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matinee",
    abstract: "Watch films together from the terminal, in step.",
    discussion: """
      matinee FILE                 watch a film, or open the library on a folder
      matinee host FILE            open a party; shows the invite to pass on
      matinee join 'INVITE'        join one (quote the invite: it holds a #)
      matinee join                 join one on the local network
      """,
    version: "0.1.0",
    subcommands: [Watch.self, Host.self, Join.self, RelayCommand.self, Doctor.self],
    defaultSubcommand: Watch.self)
}
