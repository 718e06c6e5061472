/// Several films beside one another.
extension MPVPlayer {
  /// Shows the loaded film together with its angles.
  func showAngles(_ angles: [String]) async throws(MPVError) {
    let tracks = try await get(MPVProperty.trackList).value.array ?? []
    guard let grid = AngleGrid(tracks, angles: angles) else { return }
    pictureOutput.gridShown()
    try await set(MPVProperty.lavfiComplex, .string(grid.graph))
  }

  /// Removes the graph before another film is loaded.
  func endAngles() async throws(MPVError) {
    guard pictureOutput.gridEnded() else { return }
    try await set(MPVProperty.lavfiComplex, .string(""))
    // The graph has set `vid` to none.
    try await set(MPVProperty.vid, .string("auto"))
  }
}
