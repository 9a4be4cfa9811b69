"""What `cowarray.register()` does for libraries whose compiled code takes NumPy's type alone: a program for each."""

EFFECTS = {
    "bottleneck": """
        import bottleneck
        from bottleneck import nonreduce
        copy, snapshot = x.copy(), x.to_numpy()
        bottleneck.replace(x[:2], 2, 7), bottleneck.replace(a=x, old=3, new=8)
        assert x.tolist() == [1, 7, 8] and copy.tolist() == snapshot.tolist() == [1, 2, 3]
        plain = np.ones(2)
        bottleneck.replace(plain, 1, 2)
        assert plain.tolist() == [2, 2] and cowarray.shares_bytes(x, x.copy())  # no pin is left
        x.flags.writeable = False
        kept = x.copy()
        try:
            bottleneck.replace(x, 1, 9)  # which does not ask for the flag
        except ValueError:
            assert x.tolist() == kept.tolist() == [1, 7, 8]
        else:
            raise AssertionError
        assert nonreduce.replace is bottleneck.replace is pickle.loads(pickle.dumps(bottleneck.replace))
    """,
    "cv2": """
        import cv2
        image = cowarray.zeros((9, 9), dtype=np.uint8)
        copy, snapshot, out = image.copy(), image.to_numpy(), cowarray.zeros((9, 9), dtype=np.uint8)
        assert cv2.rectangle(image, (2, 2), (4, 4), 7, -1) is image and image.sum() == 9 * 7
        assert copy.sum() == snapshot.sum() == 0 and cowarray.shares_bytes(image, image.copy())  # no pin is left
        level, result = cv2.threshold(image, 5, 255, cv2.THRESH_BINARY, dst=out)
        assert level == 5 and result is out and out.sum() == 9 * 255
        assert cv2.calcHist([image], [0], None, [2], [0, 256]).max() == 81 and cv2.norm(x, x) == 0
        kept = [1]
        kept.append(kept)
        seen = []
        cowarray._tools.frameless.lending_aliases(lambda *each: seen.extend(each))(kept, 2)
        assert seen[0] is kept
        image.flags.writeable = False
        try:
            cv2.circle(image, (1, 1), 1, 1)
        except cv2.error:
            assert image.sum() == 9 * 7
        else:
            raise AssertionError
        assert cv2.flip(image, 0).sum() == 9 * 7 and cv2.flip(np.ones((2, 2)), 0).sum() == 4
        assert pickle.loads(pickle.dumps(cv2.flip)) is cv2.flip

        class Filter:
            flip = cv2.flip  # a function of C is no method

        assert Filter().flip(image, 0).sum() == Filter.flip(src=image, flipCode=0).sum() == 9 * 7
        assert "flip(src, flipCode" in pydoc.render_doc(cv2.flip)
    """,
    "h5py": """
        import h5py
        file = h5py.File("here.h5", "w", driver="core", backing_store=False)
        table, copy, snapshot, where = file.create_dataset("table", data=x * 2), x.copy(), x.to_numpy(), x > 1.5
        assert table[where].tolist() == [4, 6] and table.astype("f4")[where].tolist() == [4, 6]
        table[where] = x[where]
        assert table[:].tolist() == [2, 2, 3]
        table.read_direct(x)
        assert x.tolist() == [2, 2, 3] and copy.tolist() == snapshot.tolist() == [1, 2, 3]
        table.read_direct(x[1:], np.s_[:2], dest_sel=np.s_[:2]), table.write_direct(copy)
        assert x.tolist() == [2, 2, 2] and table[:].tolist() == [1, 2, 3] and cowarray.shares_bytes(x, x.copy())
        table[cowarray.array([0, 2])] = 9
        assert table[:].tolist() == [9, 2, 9]
        file.attrs["names"] = cowarray.array(["a", "b"], dtype=object)
        assert file.attrs["names"].tolist() == ["a", "b"]
        x.flags.writeable = False
        try:
            table.read_direct(x)
        except TypeError as error:
            assert "writable" in str(error) and x.tolist() == [2, 2, 2]
        else:
            raise AssertionError
    """,
    "lightgbm": """
        import lightgbm
        few = {"verbose": -1, "min_data_in_leaf": 1, "min_data_in_bin": 1, "num_threads": 1, "deterministic": True}
        of = lambda guess, data: (x - x + guess - data.get_label(), cowarray.ones(3))

        def trained(m, y, objective):
            made = lightgbm.Dataset([m, m[:0]], y, weight=y, init_score=y)
            return lightgbm.train({**few, "objective": objective}, made, 2).predict(m).tolist()

        for objective in ("regression", of):
            assert trained(x.reshape(3, 1), x, objective) == trained(np.array(x).reshape(3, 1), np.array(x), objective)
    """,
    "netCDF4": """
        import netCDF4
        with netCDF4.Dataset("here.nc", "w", diskless=True) as file:
            file.createDimension("n", 3), file.createDimension("m", None)
            variable, grid = file.createVariable("a", "f8", ("n",)), file.createVariable("b", "f4", ("m", "n"))
            ragged = file.createVariable("c", file.createVLType("i4", "row"), ("m",))
            variable[:], copy = x, x.copy()
            x[0] = 9
            assert np.asarray(variable[:]).tolist() == copy.tolist() == [1, 2, 3]
            variable[cowarray.array([True, False, True])] = x[:2]
            assert np.asarray(variable[:]).tolist() == [9, 2, 2] and np.ma.isMA(variable[x > 2])
            grid[0], grid[1:3, ::2] = x, cowarray.ones((2, 2))
            assert grid[:].tolist() == [[9, 2, 3], [1, None, 1], [1, None, 1]]
            rows = np.empty(2, object)
            rows[0], rows[1] = cowarray.arange(2, dtype="i4"), np.arange(3, dtype="i4")
            ragged[:2], ragged[2] = rows, cowarray.arange(4, dtype="i4")
            assert [each.tolist() for each in ragged[:]] == [[0, 1], [0, 1, 2], [0, 1, 2, 3]]
            assert type(rows[0]) is cowarray.ndarray
            for wrong, error in (
                (lambda: variable.__delitem__(0), NotImplementedError),
                (lambda: variable.__setitem__("no", x), IndexError),
            ):
                try:
                    wrong()
                except error:
                    pass
                else:
                    raise AssertionError
    """,
    "scipy": """
        from scipy.sparse.linalg import aslinearoperator, cg, eigsh
        matrix = cowarray.array(np.diag([1.0, 2.0, 4.0]))
        assert aslinearoperator(matrix).matvec(x).tolist() == [1, 4, 12]
        assert np.allclose(cg(matrix, x)[0], [1, 1, 0.75]) and np.allclose(eigsh(matrix, 1)[0], [4])
        assert pickle.loads(pickle.dumps(aslinearoperator)) is aslinearoperator
    """,
    "scipy.ndimage": """
        from scipy import ndimage
        from scipy.ndimage import gaussian_filter
        n = np.arange(25.0).reshape(5, 5) % 3
        for name, given, kind in (
            *(("gaussian_filter", (1,), "f8"), ("sobel", (), "f8"), ("zoom", (1,), "f4"), ("spline_filter", (), "f8")),
            *(("generic_filter", (np.max, 3), "f8"), ("binary_erosion", (), "?"), ("label", (), "i4")),
            *(("fourier_gaussian", (1,), "c16"), ("map_coordinates", ([[1.0], [2]],), "f8")),
        ):
            shape = 1 if name == "map_coordinates" else (5, 5)
            theirs, ours = np.zeros(shape, kind), cowarray.zeros(shape, dtype=kind)
            copy, snapshot = ours.copy(), ours.to_numpy()
            told = getattr(ndimage, name)(n, *given, output=theirs)
            said = getattr(ndimage, name)(cowarray.array(n), *given, output=ours)
            assert ours.tolist() == theirs.tolist() and not copy.any() and not snapshot.any(), name
            assert said is ours if told is theirs else np.all(said == told), name
            assert cowarray.shares_bytes(ours, ours.copy())  # no pin is left
        distances, indices = cowarray.zeros((5, 5)), cowarray.zeros((2, 5, 5), dtype="i4")
        assert ndimage.distance_transform_edt(n, None, True, True, distances, indices) is None
        assert distances.max() > 0 and indices.max() == 4
        image, kept = cowarray.array(n), cowarray.array(n)
        assert gaussian_filter(image, 1, 0, image) is image and np.allclose(image, gaussian_filter(n, 1))
        assert gaussian_filter(kept, 1, output=np.float32).dtype == np.float32
        image.flags.writeable = False
        try:
            gaussian_filter(n, 1, output=image)
        except ValueError:
            assert np.allclose(image, gaussian_filter(n, 1))
        else:
            raise AssertionError
        assert pickle.loads(pickle.dumps(gaussian_filter)) is gaussian_filter is ndimage.gaussian_filter
    """,
}
