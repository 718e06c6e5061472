import ArgumentParser
import Doors
import Foundation
import GroupActivities
import MatineeKit
import MediaLibrary
import Screening

/// The invite to a party of this user, for a script or another terminal.
struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Print your party's invite, or make a page for a browser.",
    discussion: """
      Of your last party, also while another terminal is in it. A page is a link for one friend, who opens the file in \
      a browser and takes part without Matinee, with the host's copy of the film. Whoever has the file can join in that \
      friend's place; /remove NAME ends the link.
      """)

  @Option(
    help: ArgumentHelp("Write a page for one friend to this file.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var page: String?

  @Argument(help: ArgumentHelp("The party's id, as /parties lists it.", valueName: "party"))
  var party: String?

  func run() async throws {
    do {
      guard let folder = StateFolder.path() else {
        throw ValidationError("There is no home folder, and so no party is remembered.")
      }
      let (library, _) = try MediaLibrary.open(in: URL(fileURLWithPath: folder))
      let (_, invite) = try await library.remembered(party)
      guard let page else {
        print(invite.text)
        return
      }
      try InviteFile.write(
        PageFile.file(with: PageLink(to: invite), at: invite.addresses), to: page)
      let written = ScreeningEvent.Listing.page(.init(file: page, links: []))
      for sentence in written.sentences { print(sentence) }
    } catch {
      ExitStatus.printError(ErrorAdvice.text(of: error))
      throw ExitStatus.of(error)
    }
  }
}
