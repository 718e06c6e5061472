import GroupActivities
import Timekeeping
import WatchTogether

/// This participant's own player, apart from the coordinator's commands.
@ScreeningActor
package protocol FilmPlayer: Sendable {
  /// Returns what the player reports now.
  func reading() async -> ScreeningReading.Player
  /// The part of the data that the player waits for which has arrived, in percent, 0...100; nil while it doesn't wait.
  var loadedPercent: Int? { get async }

  /// - Returns: a sentence for the user; nil for none.
  func perform(_ order: PlayerOrder) async throws -> String?
}

/// The films: finding copies of them, and opening them in the player.
@ScreeningActor
package protocol FilmOpener<Refusal>: Sendable {
  associatedtype Refusal: Hashable & Sendable

  /// A Boolean value that indicates whether the film on the screen is a live stream.
  var isLive: Bool { get }

  /// Gives the film machine an event, and returns once all its directives are performed. Requests continue.
  func handle(_ event: FilmMachine<Refusal>.Event) async
  /// Waits until the file that this user chose is open, or can't be opened.
  func waitForFile() async
  /// Reads the identity of the film at a location.
  ///
  /// - Throws: an error that says why there is no film.
  func identity(of location: String) async throws -> FilmIdentity
  /// Returns the locations of the films that a playlist's file lists; nil for any other file.
  func films(listedIn location: String) async -> [String]?
  /// Remembers copies that the user named.
  func remember(_ films: [FilmIdentity])
  /// Trusts the server that the user is asked about.
  func allowServer(forGood: Bool) async
}

/// The party that this participant is in, and the ways into and out of it.
@ScreeningActor
package protocol PartyDoor: Sendable {
  /// Returns what the party reports now; nil outside a party.
  func reading() async -> ScreeningReading.Party?
  func perform(_ order: PartyOrder) async throws
  /// Makes a list that of the party's session.
  ///
  /// - Throws: an error, after which the machine has its list from before the edit.
  func setList(_ edit: ListEdit) async throws
  /// Asks the user whether a list of films is for everyone in the party, or only for this user.
  ///
  /// - Returns: that it is only for this user, outside a party.
  func intent(toShare list: Playlist) async -> GroupActivityActivationResult
  /// Begins a session with a list of films, and returns once the coordinator has entered it.
  func beginSession(_ list: Playlist) async throws
}

/// The memory: media folders, films, parties, people and servers.
@ScreeningActor
package protocol FilmLibrary: Sendable {
  /// Returns the position at which the user stopped watching a film; nil for none, and for a film that was watched to
  /// its end.
  ///
  /// - Parameter identifier: the film's identifier.
  func position(in identifier: String) async -> MediaTime?
  /// - Returns: a sentence for the user; nil for none.
  func perform(_ command: UserCommand.Library) async throws -> String?
}

/// The trailers before the first film.
@ScreeningActor
package protocol TrailerScreen: Sendable {
  /// A Boolean value that indicates whether the trailer on the screen is paused; nil without a trailer.
  var isPaused: Bool? { get async }
  func perform(_ order: TrailerOrder) async throws
}

/// The drawing over the picture.
@ScreeningActor
package protocol DrawingTable: Sendable {
  func perform(_ command: UserCommand.Drawing) async throws
}

/// The rooms that perform the directives of a screening's machine.
package struct ScreeningRooms<Refusal: Hashable & Sendable>: Sendable {
  var player: any FilmPlayer
  var films: any FilmOpener<Refusal>
  var party: any PartyDoor
  var library: any FilmLibrary
  var trailers: any TrailerScreen
  var drawing: any DrawingTable

  package init(
    player: any FilmPlayer, films: any FilmOpener<Refusal>, party: any PartyDoor,
    library: any FilmLibrary, trailers: any TrailerScreen, drawing: any DrawingTable
  ) {
    self.player = player
    self.films = films
    self.party = party
    self.library = library
    self.trailers = trailers
    self.drawing = drawing
  }
}
