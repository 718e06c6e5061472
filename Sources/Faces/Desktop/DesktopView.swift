import Crypto
import FileNames
import Foundation
import GroupActivities
import MPVPlayer
import MatineeKit
import NowPlaying
import PlaybackCoordination
import Screening
import Timekeeping
import WatchTogether

/// The program's state as the desktop shows it at one moment, and the commands that are possible then.
struct DesktopView: Hashable, Sendable {
  /// The state to show; nil while there is no film.
  var state: NowPlayingState?
  var possible = Possible()

  /// The facts about films that were learned while they played, kept for later views.
  struct Memory: Hashable, Sendable {
    fileprivate var items: [NowPlayingItem.ID: NowPlayingItem] = [:]
    /// A Boolean value that indicates whether any film was shown.
    fileprivate var hasShown = false

    fileprivate mutating func keep(_ kept: [NowPlayingItem]) {
      let ids = Set(kept.map(\.id))
      items = items.filter { ids.contains($0.key) }
    }
  }

  struct Possible: Hashable, Sendable {
    /// Play, pause, stop, and the rate.
    var transport = false
    var rate = false
    var seeking = false
    var next = false
    var previous = false
    /// Jumps to another entry of the playlist, and changes of the playlist.
    var playlist = false
  }

  /// - Parameters:
  ///   - artwork: the film's tags and picture that are known so far.
  ///   - memory: the facts from earlier views.
  ///   - now: the time at which `status` was read.
  init(
    _ status: ProgramStatus, artwork: Artwork.Found = .init(), memory: inout Memory,
    at now: HostTime
  ) {
    guard let film = status.film else { return }
    // Opening the first film may still fail. Later films are shown at once.
    guard memory.hasShown || !status.isOpening else { return }
    memory.hasShown = true
    let program = status.isAlone ? nil : status.activity
    // The player may still have the previous film.
    let player = status.isOpening ? nil : status.player
    // The playlist may already be at the next film.
    let entry =
      program?.identifier == film.identifier
      ? program?.current : program?.playlist.entries.first { $0.identifier == film.identifier }
    var item = NowPlayingItem(
      id: entry.map { Self.id(of: $0) } ?? Self.id(of: film),
      nowPlayingInfo: Self.info(title: film.title, location: film.location))
    if let known = memory.items[item.id] { item = known }
    item.nowPlayingInfo.add(artwork)
    if let player {
      item.duration = player.duration.map { $0 - .zero }
      // A site's title is known once the stream is open.
      if film.isStream {
        item.nowPlayingInfo.title = NowPlayingInfo.clean(player.title) ?? item.nowPlayingInfo.title
      }
    }
    var shown = NowPlayingState(item: item, status: .paused, hostTime: now)
    shown.rate = status.coordinator.rate > 0 ? status.coordinator.rate : 1
    shown.volume = status.player.desktopVolume
    shown.isFullscreen =
      status.player.hasVideo ? status.player.isFullscreen : nil
    memory.items[item.id] = item
    shown.queue =
      program?.playlist.entries.map { entry in
        let id = Self.id(of: entry)
        return memory.items[id]
          ?? NowPlayingItem(
            id: id, nowPlayingInfo: Self.info(title: entry.title, location: entry.location))
      } ?? [item]
    memory.keep(shown.queue + [item])
    (shown.status, shown.elapsedTime) = Self.playback(status, of: film)
    state = shown
    possible = Possible(status, program: program, player: player)
  }

  private static func playback(
    _ status: ProgramStatus, of film: FilmIdentity
  ) -> (NowPlayingState.Status, MediaTime) {
    // The film is paused behind the trailer, which has a session of its own.
    if status.isInTrailer { return (.paused, status.player.itemTime ?? .zero) }
    let coordinator = status.coordinator
    if status.player.isStalled, !status.isOpening,
      let place = status.player.itemTime
    {
      // The player has stalled at this position, wherever the other participants are. While the group plays this isn't
      // shown as paused, even if mpv is paused until it continues: the desktop's pause key would have no effect.
      switch coordinator.status {
      case .noItem, .paused: return (.paused, place)
      case .waiting, .playing: return (.waiting, place)
      }
    }
    let isThere = coordinator.currentItemIdentifier == film.item
    let place = isThere ? coordinator.itemTime ?? .zero : .zero
    switch coordinator.status {
    case .noItem, .paused: return (status.playsWhenOpen ? .waiting : .paused, place)
    case .waiting: return (.waiting, place)
    case .playing:
      if status.player.isAtEnd { return (.paused, place) }
      return (isThere && !status.isOpening ? .playing : .waiting, place)
    }
  }

  private static func info(title: String, location: String?) -> NowPlayingInfo {
    var info = NowPlayingInfo(title: PartyText.clean(title, limit: 200))
    if let location {
      info.assetURL =
        FilmIdentity.scheme(of: location) == nil
        ? URL(string: FileName.url(location)) : URL(string: location)
    }
    return info
  }

  static func id(of entry: PlaylistEntry) -> NowPlayingItem.ID { "e\(entry.id)" }

  /// Returns an identifier for a film that is in no playlist. It is the same for the same film and doesn't reveal its
  /// location.
  private static func id(of film: FilmIdentity) -> NowPlayingItem.ID {
    "f" + hash(film.identifier)
  }

  static func hash(_ identifier: String) -> String {
    let hash = SHA256.hash(data: Data(identifier.utf8))
    return hash.prefix(8).map { String(format: "%02x", $0) }.joined()
  }
}

extension NowPlayingInfo {
  /// Returns a tag's text, cleaned because it comes from an untrusted file or server.
  static func clean(_ text: String?) -> String? {
    text.map { PartyText.clean($0, limit: 200) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  fileprivate mutating func add(_ artwork: Artwork.Found) {
    let tags = artwork.tags
    artworkURL = artwork.picture ?? artworkURL
    // A film's file may have an arbitrary title; a song's title is mostly correct.
    if let artist = Self.clean(tags.artist) {
      artists = [artist]
      title = Self.clean(tags.title) ?? title
    }
    albumTitle = Self.clean(tags.album) ?? albumTitle
    albumArtists = Self.clean(tags.albumArtist).map { [$0] } ?? albumArtists
    genres = Self.clean(tags.genre).map { [$0] } ?? genres
    trackNumber = tags.track ?? trackNumber
    discNumber = tags.disc ?? discNumber
  }
}

extension DesktopView.Possible {
  /// - Parameters:
  ///   - program: the playlist, if it is being watched.
  ///   - player: the player's state with the film; nil while it is being opened.
  fileprivate init(_ status: ProgramStatus, program: FilmActivity?, player: PlayerSnapshot?) {
    transport = status.rights.mayControl
    rate = status.rights.mayControl && !status.isInTrailer
    // A live stream has no known beginning, and a stream without ranges is only partly available.
    seeking =
      status.rights.mayControl && !status.isInTrailer && !status.isLive
      && player.map { $0.isSeekable && !$0.isPartiallySeekable && $0.duration != nil } ?? false
    guard let program, status.rights.mayChoose, !status.isInTrailer else { return }
    playlist = true
    previous = program.playlist.entry(at: -1) != nil
    next = program.playlist.entry(at: 1) != nil
  }

  /// Disables the commands that aren't possible.
  func apply(to center: RemoteCommandCenter) {
    center.playCommand.isEnabled = transport
    center.pauseCommand.isEnabled = transport
    center.togglePlayPauseCommand.isEnabled = transport
    center.stopCommand.isEnabled = transport
    center.changePlaybackRateCommand.isEnabled = rate
    center.skipForwardCommand.isEnabled = seeking
    center.skipBackwardCommand.isEnabled = seeking
    center.changePlaybackPositionCommand.isEnabled = seeking
    center.nextTrackCommand.isEnabled = next
    center.previousTrackCommand.isEnabled = previous
    center.playQueueItemCommand.isEnabled = playlist
    center.removeQueueItemCommand.isEnabled = playlist
    center.addToQueueCommand.isEnabled = playlist
  }
}

extension PlayerSnapshot {
  /// The volume as the desktop shows it: 1 is the film's own, and 0 is muted.
  var desktopVolume: Double { isMuted ? 0 : max(0, volume) / 100 }
}
