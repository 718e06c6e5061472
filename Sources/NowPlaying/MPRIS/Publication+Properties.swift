import Foundation
import Timekeeping

/// The properties that readers see.
extension Publication {
  /// Returns all properties of one of the player's interfaces, except those that change with time alone.
  ///
  /// - Returns: nil for an interface without properties.
  func properties(of interface: String, at now: HostTime) -> [String: BusValue]? {
    switch interface {
    case MPRISInterface.root.name: rootProperties(at: now)
    case MPRISInterface.player.name: playerProperties(at: now)
    case MPRISInterface.trackList.name:
      [
        "Tracks": .paths(queue.map { tracks.path(of: $0.id) }),
        "CanEditTracks": .bool(can(.addToQueue, at: now) && can(.removeQueueItem, at: now)),
      ]
    default: nil
    }
  }

  private func rootProperties(at now: HostTime) -> [String: BusValue] {
    var properties: [String: BusValue] = [
      "CanQuit": .bool(can(.quit, at: now)),
      "CanRaise": .bool(can(.raise, at: now)),
      "HasTrackList": .bool(!queue.isEmpty),
      "Identity": .string(description.identity.forTheBus),
      "SupportedUriSchemes": .strings(description.urlSchemes),
      "SupportedMimeTypes": .strings(description.mediaTypes),
    ]
    if let entry = description.desktopEntry { properties["DesktopEntry"] = .string(entry) }
    if let isFullscreen = state?.isFullscreen {
      properties["Fullscreen"] = .bool(isFullscreen)
      properties["CanSetFullscreen"] = .bool(can(.changeFullscreen, at: now))
    } else {
      properties["CanSetFullscreen"] = .bool(false)
    }
    return properties
  }

  private func playerProperties(at now: HostTime) -> [String: BusValue] {
    let rates = rates(at: now)
    var properties: [String: BusValue] = [
      "PlaybackStatus": .string(status),
      "Rate": .double(state?.rate ?? 1),
      "MinimumRate": .double(rates.lowerBound),
      "MaximumRate": .double(rates.upperBound),
      "Metadata": .dictionary(metadata),
      "CanGoNext": .bool(next(at: now) != nil),
      "CanGoPrevious": .bool(previous(at: now) != nil),
      "CanPlay": .bool(canPlay(at: now)),
      "CanPause": .bool(canPause(at: now)),
      "CanSeek": .bool(canSeek(at: now)),
      "CanControl": .bool(canControl),
    ]
    properties["Volume"] = .double(state?.volume ?? 1)
    if let mode = state?.repeatMode { properties["LoopStatus"] = .string(Self.name(of: mode)) }
    if let isShuffled = state?.isShuffled { properties["Shuffle"] = .bool(isShuffled) }
    return properties
  }

  var status: String {
    switch state?.status {
    case .playing, .waiting: "Playing"
    case .paused: "Paused"
    case .stopped, nil: "Stopped"
    }
  }

  static func name(of mode: NowPlayingState.RepeatMode) -> String {
    switch mode {
    case .off: "None"
    case .one: "Track"
    case .all: "Playlist"
    }
  }

  static func repeatMode(named name: String) -> NowPlayingState.RepeatMode? {
    switch name {
    case "None": .off
    case "Track": .one
    case "Playlist": .all
    default: nil
    }
  }

  /// The metadata of the current item.
  var metadata: [String: BusValue] {
    guard let state else { return ["mpris:trackid": .objectPath(TrackPath.none)] }
    return metadata(of: state.item)
  }

  /// Returns an item's metadata in the specified form (freedesktop.org, "MPRIS v2 metadata guidelines").
  func metadata(of item: NowPlayingItem) -> [String: BusValue] {
    let info = item.nowPlayingInfo
    var fields: [String: BusValue] = ["mpris:trackid": .objectPath(tracks.path(of: item.id))]
    func add(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { fields[name] = .string(text.forTheBus) }
    }
    func add(_ name: String, _ list: [String]) {
      if !list.isEmpty { fields[name] = .strings(list.map(\.forTheBus)) }
    }
    func add(_ name: String, _ number: Int?) {
      if let number { fields[name] = .int32(Int32(clamping: number)) }
    }
    func add(_ name: String, _ number: Double?) {
      if let number, number.isFinite { fields[name] = .double(number) }
    }
    func add(_ name: String, _ date: Date?) {
      if let date { fields[name] = .string(date.formatted(.iso8601)) }
    }
    if let length = item.contentDuration { fields["mpris:length"] = .int64(length.inMicroseconds) }
    add("mpris:artUrl", info.artworkURL?.absoluteString)
    add("xesam:title", info.title)
    add("xesam:artist", info.artists)
    add("xesam:album", info.albumTitle)
    add("xesam:albumArtist", info.albumArtists)
    add("xesam:genre", info.genres)
    add("xesam:composer", info.composers)
    add("xesam:lyricist", info.lyricists)
    add("xesam:comment", info.comments)
    add("xesam:asText", info.lyrics)
    add("xesam:url", info.assetURL?.withoutPassword)
    add("xesam:trackNumber", info.trackNumber)
    add("xesam:discNumber", info.discNumber)
    add("xesam:audioBPM", info.beatsPerMinute)
    add("xesam:userRating", info.userRating)
    add("xesam:autoRating", info.autoRating)
    add("xesam:useCount", info.playCount)
    add("xesam:contentCreated", info.contentCreated)
    add("xesam:firstUsed", info.firstPlayed)
    add("xesam:lastUsed", info.lastPlayed)
    return fields
  }
}

extension Duration {
  /// Whole microseconds, the unit of MPRIS.
  var inMicroseconds: Int64 { inNanoseconds / 1000 }
}

extension MediaTime {
  var microseconds: Int64 { nanoseconds / 1000 }

  /// Creates a time, clamped: a number from the bus may have any value.
  init(microseconds: Int64) {
    let (product, isTooLong) = microseconds.multipliedReportingOverflow(by: 1000)
    self.init(nanoseconds: isTooLong ? (microseconds < 0 ? .min : .max) : product)
  }
}

extension String {
  private static let busLimit = 8192

  /// The text for the bus: without NUL, which D-Bus doesn't allow, and without noncharacters, which some
  /// implementations reject; cut to 8192 bytes.
  var forTheBus: String {
    var scalars = String.UnicodeScalarView()
    var bytes = 0
    for scalar in unicodeScalars
    where scalar.value != 0 && !scalar.properties.isNoncharacterCodePoint {
      bytes += UTF8.width(scalar)
      if bytes > Self.busLimit { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}

extension URL {
  /// The URL without its user and password, which readers don't need.
  fileprivate var withoutPassword: String {
    guard var components = URLComponents(url: self, resolvingAgainstBaseURL: false),
      components.user != nil || components.password != nil
    else { return absoluteString }
    components.user = nil
    components.password = nil
    return components.string ?? ""
  }
}
